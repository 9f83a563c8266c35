import { join } from "node:path";
import { cli, figure, here, inTempFolder, medians, ms, wallMs } from "../support.js";
import { writeWorkspaceTest } from "../write-configs.js";

const trials = 1_000;
const concurrency = 10;
const unit = "÷ bare copies";

/** What an agent that works on files costs in addition to its model. */
export const workspaceFigures = [
  {
    name: "workspaces",
    what: `wall time of \`kindlm test\` with 1,000 trials in workspaces of 200 files, in which a scripted agent changes a file, ÷ that of a program that copies the folder as often, changes the file and removes the copy; both at concurrency ${concurrency}, medians of 3`,
    targets: { [unit]: 1.5 },
    long: true,
    measure: () =>
      inTempFolder(async (folder) => {
        const { file, seed } = writeWorkspaceTest(folder, { trials, concurrency, files: 200 });
        const [tested, copied] = await medians(
          [
            () => wallMs([cli, "test", "-c", file]),
            () => wallMs([join(here, "bare-copies.js"), seed, String(trials), String(concurrency)]),
          ],
          3,
        );
        return { [unit]: figure(tested / copied, `${ms(tested)} ÷ ${ms(copied)}`) };
      }),
  },
];
