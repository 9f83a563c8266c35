import { describe, expect, it } from "vitest";
import { success } from "../result.js";
import { pluginOf } from "./run-plugin.js";

const nothing = (): void => undefined;

describe("pluginOf", () => {
  it("takes what has a name and hooks, whatever made it, and keeps its this", async () => {
    class Counter {
      name = "counter";
      count = 0;
      trialEnded(): number {
        this.count += 1;
        return this.count;
      }
    }
    const counter = new Counter();
    const plugin = pluginOf(counter);
    if (!plugin.success) throw new Error(plugin.error);
    const { name, observers, deciders } = plugin.data;
    expect([name, [...observers.keys()], [...deciders.keys()]]).toEqual(["counter", ["trialEnded"], []]);
    const call = () => observers.get("trialEnded")?.({ given: [], ctx: {} }, new AbortController().signal);
    expect([await call(), await call()]).toEqual([success(null), success(null)]);
    expect(counter.count).toBe(2);
  });

  it.each([
    [undefined, "is not a plugin"],
    [[], "is not a plugin"],
    ["guard", "is not a plugin"],
    [nothing, "is a function, not a plugin"],
    [{ preToolUse: nothing }, "is not a plugin: it has no name"],
    [{ name: " ", preToolUse: nothing }, "is not a plugin: it has no name"],
    [{ name: "x", preToolUse: true }, "is not a plugin: its preToolUse is not a function"],
    [{ name: "x", preToolUse: nothing, setup: {} }, "is not a plugin: its setup is not a function"],
    [{ name: "x", preToolUsed: nothing }, 'has an unknown hook "preToolUsed". Did you mean "preToolUse"?'],
    [
      { name: "x", setup: nothing },
      "has no hook, so it does nothing. Hooks: providerFailed, toolFailed, trialEnded, runEnded, preToolUse, postToolUse",
    ],
  ])("%o: %s", (exported, error) => {
    expect(pluginOf(exported)).toEqual({ success: false, error });
  });

  it("survives what throws when it is looked at", () => {
    const shy = {
      get name(): string {
        throw new Error("no name for you");
      },
    };
    expect(pluginOf(shy)).toEqual({ success: false, error: "cannot be read: no name for you" });
  });
});
