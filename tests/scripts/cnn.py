"""Train a small CNN on synthetic images of bars."""

import argparse
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=1e-2)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def make_data(count):
    images = 0.1 * torch.randn(count, 1, 8, 8)
    labels = torch.randint(0, 2, (count,))
    for image, label in zip(images, labels):
        line = random.randrange(8)
        if label:
            image[0, line, :] += 1.0
        else:
            image[0, :, line] += 1.0
    return TensorDataset(images, labels)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(4)
        self.conv2 = nn.Conv2d(4, 8, 3, padding=1)
        self.drop = nn.Dropout(0.1)
        self.fc = nn.Linear(8 * 2 * 2, 2)

    def features(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return x

    def forward(self, x):
        x = self.features(x)
        x = torch.flatten(x, 1)
        return self.fc(self.drop(x))


def evaluate(model, loader):
    model.eval()
    correct = total = 0
    with torch.no_grad():
        for images, labels in loader:
            pred = model(images).argmax(dim=1)
            correct += (pred == labels).sum().item()
            total += len(labels)
    return correct / total


def train_epoch(model, loader, optimizer):
    model.train()
    running = 0.0
    for images, labels in loader:
        optimizer.zero_grad()
        logits = model(images)
        loss = F.cross_entropy(logits, labels)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        running += loss.item()
    return running / len(loader)


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    random.seed(args.seed)
    train, test = make_data(64), make_data(32)
    train_loader = DataLoader(train, batch_size=args.batch_size, shuffle=True)
    test_loader = DataLoader(test, batch_size=args.batch_size)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.9)
    for epoch in range(args.epochs):
        loss = train_epoch(model, train_loader, optimizer)
        scheduler.step()
        print(f"epoch {epoch}: loss {loss:.4f}, accuracy {evaluate(model, test_loader):.2f}")


if __name__ == "__main__":
    main()
