import { cp, rm } from "node:fs/promises";

/** What a run or an installation leaves in an example, which is not committed. */
const isLeft = /[\\/](?:node_modules|runs|shards|package-lock\.json|\.env)(?=$|[\\/])/;

/** Copies the examples into the package of the command line, for `kindlm init --example`. */
export async function copyExamples(from, to) {
  await rm(to, { recursive: true, force: true });
  await cp(from, to, { recursive: true, filter: (path) => !isLeft.test(path.slice(from.length)) });
}
