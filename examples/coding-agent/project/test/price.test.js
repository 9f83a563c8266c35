import assert from "node:assert/strict";
import test from "node:test";
import { format, total } from "../src/price.js";

test("total counts each item as often as it is in the cart", () => {
  assert.equal(
    total([
      { cents: 250, quantity: 3 },
      { cents: 100, quantity: 1 },
    ]),
    850,
  );
});

test("format writes dollars", () => {
  assert.equal(format(1250), "$12.50");
});
