"""Many runs: races, studies and measurements, as forms, tables and plots."""
