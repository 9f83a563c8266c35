import { setFlagsFromString } from "node:v8";

/**
 * A worker thread of the product, such as the one for the modules of users, begins with the new space of its process.
 * The 32 MB that suit the tests are too much for a thread that lives for a moment: to make the pages ready took it a
 * third of its time. The heap of this thread is there by now, and keeps its size.
 */
export function keepWorkersSmall(): void {
  setFlagsFromString("--min-semi-space-size=1");
}
