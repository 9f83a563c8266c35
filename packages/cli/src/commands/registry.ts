import * as baseline from "./baseline/command.js";
import * as cassette from "./cassette/command.js";
import { command, type CommandEntry, type CommandGroup } from "./command-definition.js";
import { completionCommand } from "./completion/command.js";
import { doctorCommand } from "./doctor/command.js";
import { explainCommand } from "./explain/command.js";
import { helpCommand } from "./help/command.js";
import { importGroup, importPromptfooCommand, importTraceCommand } from "./import/command.js";
import { initCommand } from "./init/command.js";
import { calibrateCommand, judgeGroup } from "./judge/command.js";
import { loginCommand } from "./login/command.js";
import { logoutCommand } from "./logout/command.js";
import { mergeCommand } from "./merge/command.js";
import { openCommand } from "./open/command.js";
import { reportCommand } from "./report/command.js";
import { rescoreCommand } from "./rescore/command.js";
import * as runs from "./runs/command.js";
import { schemaCommand } from "./schema/command.js";
import { scoreCommand } from "./score/command.js";
import { serverCommand } from "./server/command.js";
import { showCommand } from "./show/command.js";
import { testCommand, watchCommand } from "./test/command.js";
import { traceCommand } from "./trace/command.js";
import { uploadCommand } from "./upload/command.js";
import { validateCommand } from "./validate/command.js";
import { whoamiCommand } from "./whoami/command.js";

/** The command family, in the order of the help. A new one joins by one line. */
export const commands: readonly (CommandEntry | CommandGroup)[] = [
  command(initCommand, () => import("./init/execute.js")),
  command(validateCommand, () => import("./validate/execute.js")),
  command(testCommand, () => import("./test/execute.js")),
  command(watchCommand, () => import("./test/execute-watch.js")),
  command(mergeCommand, () => import("./merge/execute.js")),
  command(reportCommand, () => import("./report/execute.js")),
  command(showCommand, () => import("./show/execute.js")),
  command(openCommand, () => import("./open/execute.js")),
  {
    ...runs.runsGroup,
    commands: [
      command(runs.listCommand, () => import("./runs/list.js")),
      command(runs.showCommand, () => import("./runs/show.js")),
      command(runs.pruneCommand, () => import("./runs/prune.js")),
    ],
  },
  {
    ...baseline.baselineGroup,
    commands: [
      command(baseline.setCommand, () => import("./baseline/set.js")),
      command(baseline.compareCommand, () => import("./baseline/compare.js")),
      command(baseline.listCommand, () => import("./baseline/list.js")),
      command(baseline.showCommand, () => import("./baseline/show.js")),
      command(baseline.removeCommand, () => import("./baseline/remove.js")),
    ],
  },
  command(scoreCommand, () => import("./score/execute.js")),
  command(rescoreCommand, () => import("./rescore/execute.js")),
  command(traceCommand, () => import("./trace/execute.js")),
  {
    ...importGroup,
    commands: [
      command(importTraceCommand, () => import("./import/trace.js")),
      command(importPromptfooCommand, () => import("./import/promptfoo.js")),
    ],
  },
  { ...judgeGroup, commands: [command(calibrateCommand, () => import("./judge/calibrate.js"))] },
  {
    ...cassette.cassetteGroup,
    commands: [
      command(cassette.listCommand, () => import("./cassette/list.js")),
      command(cassette.verifyCommand, () => import("./cassette/verify.js")),
      command(cassette.pruneCommand, () => import("./cassette/prune.js")),
    ],
  },
  command(uploadCommand, () => import("./upload/execute.js")),
  command(loginCommand, () => import("./login/execute.js")),
  command(logoutCommand, () => import("./logout/execute.js")),
  command(whoamiCommand, () => import("./whoami/execute.js")),
  command(serverCommand, () => import("./server/execute.js")),
  command(doctorCommand, () => import("./doctor/execute.js")),
  command(schemaCommand, () => import("./schema/execute.js")),
  command(explainCommand, () => import("./explain/execute.js")),
  command(completionCommand, () => import("./completion/execute.js")),
  { ...helpCommand, execute: () => Promise.resolve(0) },
];
