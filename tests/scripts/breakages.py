"""Three ways to break each script: the line, what it becomes, and the cause. The line to name ends with `# <- here`."""

BREAKAGES = {
    "cnn: the features lose their history": (
        "        x = self.features(x)\n",
        "        x = self.features(x).detach()  # <- here\n",
        "detached",
    ),
    "cnn: the loss is made anew from its number": (
        "        loss = F.cross_entropy(logits, labels)\n",
        "        loss = torch.tensor(F.cross_entropy(logits, labels).item(), requires_grad=True)  # <- here\n",
        "left_torch",
    ),
    "cnn: a saved result is changed in place": (
        "        x = F.max_pool2d(F.relu(self.conv2(x)), 2)\n",
        "        x = torch.sigmoid(self.conv2(x))\n        x += 0.1  # <- here\n        x = F.max_pool2d(x, 2)\n",
        "inplace_on_saved",
    ),
    "transformer: the positions by their data": (
        "+ self.positions[: ids.size(1)]\n",
        "+ self.positions.data[: ids.size(1)]  # <- here\n",
        "detached",
    ),
    "transformer: a copy of the block's result": (
        "        return x + self.mlp(self.norm2(x))\n",
        "        y = torch.tensor(self.mlp(self.norm2(x)))  # <- here\n        return x + y\n",
        "rewrapped",
    ),
    "transformer: the loss of the best token": (
        "        loss = criterion(logits.reshape(-1, VOCAB), targets.reshape(-1))\n",
        "        loss = (logits.argmax(dim=-1) - targets).float().pow(2).mean()  # <- here\n",
        "not_differentiable",
    ),
    "gan: the generator's own pass without its history": (
        "    score = discriminator(fake)\n",
        "    score = discriminator(fake.detach())  # <- here\n",
        "detached",
    ),
    "gan: one graph for two passes": (
        "    d_fake = discriminator(fake.detach())\n    loss_d = criterion(d_real, ones) + criterion(d_fake, zeros)\n"
        "    opt_d.zero_grad()\n    loss_d.backward()\n",
        "    d_fake = discriminator(fake)\n    loss_d = criterion(d_real, ones) + criterion(d_fake, zeros)\n"
        "    opt_d.zero_grad()\n    loss_d.backward()  # <- here\n",
        "graph_freed",
    ),
    "gan: samples through a list": (
        "        return self.net(z)\n\n\nclass Discriminator",
        "        return torch.tensor(self.net(z).tolist())  # <- here\n\n\nclass Discriminator",
        "left_torch",
    ),
    "rnn: the state drags the pieces before along": (
        "    return state.detach()\n",
        "    return state\n",
        "graph_freed",
    ),
    "rnn: the gate through NumPy": (
        "            state = state * torch.sigmoid(self.gate(state))\n",
        "            gate = torch.sigmoid(self.gate(state)).detach().numpy()  # <- here\n"
        "            state = state * torch.from_numpy(gate)\n",
        "left_torch",
    ),
    "rnn: the output of the bare state": (
        "            outputs.append(self.out(state))\n",
        "            outputs.append(self.out(state.data))  # <- here\n",
        "detached",
    ),
    "finetune: whole numbers for features": (
        "        return self.head(features)\n",
        "        return self.head(features.int().float())  # <- here\n",
        "not_differentiable",
    ),
    "finetune: the adapter looks down only": (
        "        return x + self.up(F.gelu(self.down(x)))\n",
        "        return x + self.up(F.gelu(self.down(x)).detach())  # <- here\n",
        "detached",
    ),
    "finetune: signs for logits": (
        "        loss = F.cross_entropy(logits, y)\n",
        "        loss = F.cross_entropy(logits.sign(), y)  # <- here\n",
        "zero_derivative",
    ),
}
