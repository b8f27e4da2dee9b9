subst h₀
decide
