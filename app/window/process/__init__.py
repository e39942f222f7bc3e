"""What concerns the process as a whole: Qt's libraries, signals, garbage, stalls."""
