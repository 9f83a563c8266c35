import { spawnSync } from "node:child_process";

/** The first of these programs that starts `probe` so that it succeeds; null if there is none. */
export function findStarter(
  starters: readonly (readonly string[])[],
  probe: readonly string[],
): readonly string[] | null {
  const succeeds = (starter: readonly string[]): boolean => {
    const [program = "", ...args] = [...starter, ...probe];
    return spawnSync(program, args).status === 0;
  };
  return starters.find(succeeds) ?? null;
}
