"""Take That Toy!, a game by 凪庵 (ごらく趣造) for 3 to 5 players. README.md is the spec sheet."""
