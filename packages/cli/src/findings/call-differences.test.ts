import { expect, it } from "vitest";
import { listArguments } from "./call-differences.js";

const difference = (path: string) => ({ path, expected: `wanted ${path}`, actual: `found ${path}` });
const rejected = (path: string) => ({ name: path, value: `found ${path}`, expected: `wanted ${path}` });

it("lists rejected arguments in their places, and those that are missing at the end", () => {
  const args = { id: "ORD-4", item: { price: 1, size: 2 }, amount: 1 };
  const differing = [difference("reason"), difference("item.price"), difference("amount")];
  expect(listArguments(args, differing, 100)).toEqual([
    { name: "id", value: '"ORD-4"' },
    { name: "item", value: "{price: 1, size: 2}" },
    rejected("item.price"),
    rejected("amount"),
    rejected("reason"),
  ]);
});

it("does not take an argument for one whose name it begins with", () => {
  expect(listArguments({ id: 1 }, [difference("identity"), difference("id[0]")], 100)).toEqual([
    { name: "id", value: "1" },
    rejected("id[0]"),
    rejected("identity"),
  ]);
});
