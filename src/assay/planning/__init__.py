"""What a run will take, before it starts: calls, tokens, money, hours, disk, and what it can show."""
