import { describe, expect, it } from "vitest";
import { checkShard } from "./check-shard.js";

describe("checkShard", () => {
  it("rejects numbers that are not whole, which programs may pass", () => {
    expect(checkShard({ index: 1.5, of: 2 })).toMatchObject({ success: false });
    expect(checkShard({ index: 1, of: Number.NaN })).toMatchObject({ success: false });
  });
});
