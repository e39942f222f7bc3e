"""Who does the runs of a study: processes of this machine, or a Dask cluster."""
