import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createWaitingList, type Linked } from "./lane.js";

interface Item extends Linked<Item> {
  readonly name: number;
}

describe("createWaitingList", () => {
  it("keeps the order of an array, whatever is added and removed", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.nat(30)), { maxLength: 80 }), (steps) => {
        const list = createWaitingList<Item>();
        const model: Item[] = [];
        steps.forEach((step, name) => {
          if (step === null || model.length === 0) {
            const item: Item = { name, previous: null, following: null };
            list.add(item);
            model.push(item);
          } else {
            const [removed] = model.splice(step % model.length, 1);
            if (removed !== undefined) list.remove(removed);
          }
          const names: number[] = [];
          for (let item = list.first; item !== null; item = item.following) names.push(item.name);
          expect(names).toEqual(model.map((item) => item.name));
          expect(list.size).toBe(model.length);
        });
      }),
    );
  });
});
