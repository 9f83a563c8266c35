import { createRandom, hashText } from "../../../packages/core/src/values/random.js";

/** Repeatable choices. */
export interface Dice {
  /** From 0 to below `below`. */
  int(below: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** The choices of one draw; the same words give the same choices. */
export function createDice(...words: readonly (string | number)[]): Dice {
  const next = createRandom(hashText(words.join(" ")));
  const int = (below: number): number => Math.floor(next() * below);
  return {
    int,
    chance: (probability) => next() < probability,
    pick<T>(list: readonly T[]) {
      const picked = list[int(list.length)];
      if (picked === undefined && list.length === 0) throw new Error("there is nothing to pick from");
      return picked as T;
    },
  };
}
