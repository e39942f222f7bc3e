"""Tables and figures of papers as studies, beside our runs, with a verdict on what papers claim."""
