import { inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** Whether this is `pnpm test:long`, in which simulations run in full. */
    isLong: boolean;
  }
}

/** How often a simulation draws: `brief` in `pnpm test`, where its seed is fixed too, `full` in `pnpm test:long`. */
export function draws({ brief, full }: { brief: number; full: number }): number {
  return inject("isLong") ? full : brief;
}
