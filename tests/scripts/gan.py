"""A one-dimensional GAN: the generator learns a shifted Gaussian."""

import torch
import torch.nn as nn

torch.manual_seed(2)

LATENT = 4


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(LATENT, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, z):
        return self.net(z)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x)


def real_batch(size):
    return 3.0 + 0.5 * torch.randn(size, 1)


generator = Generator()
discriminator = Discriminator()
criterion = nn.BCEWithLogitsLoss()
opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
opt_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999))

batch = 16
ones = torch.ones(batch, 1)
zeros = torch.zeros(batch, 1)
log = []

for step in range(6):
    # train the discriminator
    real = real_batch(batch)
    z = torch.randn(batch, LATENT)
    fake = generator(z)
    d_real = discriminator(real)
    d_fake = discriminator(fake.detach())
    loss_d = criterion(d_real, ones) + criterion(d_fake, zeros)
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()

    # train the generator
    score = discriminator(fake)
    loss_g = criterion(score, ones)
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()

    log.append((loss_d.item(), loss_g.item()))
    if step % 2 == 1:
        print(f"step {step}  D {log[-1][0]:.3f}  G {log[-1][1]:.3f}")

with torch.no_grad():
    sample = generator(torch.randn(256, LATENT))
print(f"sample mean {sample.mean():.3f} std {sample.std():.3f}")
