"""The view of a race: two to four colonies on one instance."""
