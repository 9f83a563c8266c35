import { takesNext } from "./arrange-words.js";
import type { Flags } from "../commands/flag.js";
import { globalFlags } from "../commands/shared-flags.js";
import { quoteArgument } from "./quote-argument.js";

/** The words that name the run, which are replaced. */
const replaced = new Set(["--resume", "--rerun-failed"]);

/**
 * The command that resumes a run, to paste into a shell: the typed command, with the run named.
 *
 * @param argv - what followed `kindlm`
 * @param flags - those of the command that was called
 */
export function renderResumeCommand(argv: readonly string[], runId: string, flags: Flags): string {
  const known = { ...globalFlags, ...flags };
  const kept: string[] = [];
  let at = 0;
  while (at < argv.length && argv[at] !== "--") {
    const word = argv[at] ?? "";
    const length = takesNext(word, known) ? 2 : 1;
    const isReplaced = replaced.has(word) || word === "--run" || word.startsWith("--run=");
    if (!isReplaced) kept.push(...argv.slice(at, at + length));
    at += length;
  }
  const words = ["kindlm", ...kept, "--resume", "--run", runId, ...argv.slice(at)];
  return words.map(quoteArgument).join(" ");
}
