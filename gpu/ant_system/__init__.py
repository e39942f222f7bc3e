"""The Ant System (Cecilia et al. 2013, Zhou et al. 2017): all ants deposit."""
