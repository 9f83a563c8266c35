import path from "node:path";
import { UsageError } from "../errors/usage-error.js";

/** Refuses a file that is given twice, however it is written: its lines would count twice. stdin is there once. */
export function refuseRepeated(names: readonly string[], cwd: string): void {
  const places = names.map((name) => (name === "-" ? name : path.resolve(cwd, name)));
  const repeated = places.findIndex((place, index) => places.indexOf(place) < index);
  if (repeated < 0) return;
  const name = names[repeated] ?? "";
  if (name === "-") throw new UsageError("stdin is given more than once", "Use - only once");
  throw new UsageError(`${name} is given twice`, "Name each file once");
}
