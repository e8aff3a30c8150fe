"""From file to file, in bounded memory: the work behind the commands. Internal."""
