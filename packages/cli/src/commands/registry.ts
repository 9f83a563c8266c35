import type { CommandDefinition } from "./command-definition.js";
import { baselineCommand } from "./baseline/command.js";
import { cassetteCommand } from "./cassette/command.js";
import { doctorCommand } from "./doctor/command.js";
import { explainCommand } from "./explain/command.js";
import { initCommand } from "./init/command.js";
import { judgeCommand } from "./judge/command.js";
import { mergeCommand } from "./merge/command.js";
import { reportCommand } from "./report/command.js";
import { rescoreCommand } from "./rescore/command.js";
import { runsCommand } from "./runs/command.js";
import { schemaCommand } from "./schema/command.js";
import { scoreCommand } from "./score/command.js";
import { testCommand } from "./test/command.js";
import { validateCommand } from "./validate/command.js";

/** The command family, in the order of the help. A new one joins by one line. */
export const commands: readonly CommandDefinition[] = [
  initCommand,
  validateCommand,
  testCommand,
  mergeCommand,
  reportCommand,
  runsCommand,
  baselineCommand,
  scoreCommand,
  rescoreCommand,
  judgeCommand,
  cassetteCommand,
  doctorCommand,
  schemaCommand,
  explainCommand,
];
