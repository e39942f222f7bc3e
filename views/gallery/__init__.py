"""The start page: instances as pictures, and ways to get more of them."""
