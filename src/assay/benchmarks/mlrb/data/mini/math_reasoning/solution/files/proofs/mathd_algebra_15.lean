exact (h₀ 2 6 (by decide)).trans rfl
