"""ACO-RLF, the colony that colors graphs (Murooka, Ito and Nakano 2017)."""
