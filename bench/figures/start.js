import module from "node:module";
import { join } from "node:path";
import { againstNode, cli, inTempFolder, root } from "../support.js";
import { writeOfflineTest } from "../write-configs.js";

const unit = "÷ node -e 0";
const cachedUnit = "÷ node -e 0, compile cache";
const hasCompileCache = module.enableCompileCache !== undefined;

/** How long until the first thing is done: what a person waits for who runs one test again and again. */
export const startFigures = [
  {
    name: "start",
    what: "wall time of `kindlm --version`, median of 15",
    targets: { [unit]: 1.3 },
    measure: async () => ({ [unit]: await againstNode([cli, "--version"], 15) }),
  },
  {
    name: "complete",
    what: "wall time of one completion of a test's name in a shell, median of 15",
    // At most 150 ms where a bare Node takes 33 ms.
    targets: { [unit]: 4.5 },
    measure: () => inTempFolder(async (folder) => ({ [unit]: await againstNode(completionOf(folder), 15) })),
  },
  {
    name: "one-test",
    what: "wall time of `kindlm test` with one offline test, median of 15",
    targets: { [unit]: 6.5, [cachedUnit]: 5 },
    measure: () =>
      inTempFolder(async (folder) => ({
        [hasCompileCache ? cachedUnit : unit]: await againstNode([cli, "test", "-c", writeOfflineTest(folder)], 15),
      })),
  },
  {
    name: "example",
    what: "wall time of `kindlm test` with the example, median of 15",
    targets: { [unit]: 8 },
    measure: async () => ({ [unit]: await againstNode([cli, "test", "-c", join(root, "kindlm.yaml.example")], 15) }),
  },
];

function completionOf(folder) {
  return [cli, "__complete", "zsh", "kindlm", "test", "-c", writeOfflineTest(folder), "-t", ""];
}
