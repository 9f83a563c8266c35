import process from "node:process";
import { createMember } from "./create-member.js";

/** Scaffolds a member of a family: `pnpm new assertion foo_bar` writes its folder and its line in the registry. */
const { problem, done } = await createMember(process.argv.slice(2), process.cwd());
for (const line of done) console.log(line);
if (problem !== null) {
  console.error(problem);
  process.exitCode = 1;
}
