"""A plain first solution: eight careful steps over the whole model, a problem each."""

import torch
from tuning import load, loss, problems, save

STEPS, BATCH, RATE = 8, 1, 1e-5

model, given = load(), problems()
optimiser = torch.optim.AdamW(model.parameters(), lr=RATE)
for step in range(STEPS):
    found = loss(model, given[step * BATCH : (step + 1) * BATCH])
    found.backward()
    optimiser.step()
    optimiser.zero_grad()
    print(f"step {step}: {found.item():.3f}")
save(model)
