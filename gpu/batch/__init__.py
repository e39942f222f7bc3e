"""Many runs: cases, what does them, the file that keeps them, and the tables that come of them."""
