import { Console } from "node:console";
import process from "node:process";
import { workerData } from "node:worker_threads";
import { checkAction } from "../assertions/module/check-action.js";
import { runCheck } from "../assertions/module/run-check.js";
import { readConfigAction } from "../config/module/config-action.js";
import { evaluateConfig } from "../config/module/evaluate-config.js";
import { attemptSync } from "../errors/boundary.js";
import { completeAction, listExtensionsAction } from "../extensions/extension-action.js";
import { listExtensions } from "../extensions/list-extensions.js";
import { runProvider } from "../extensions/run-provider.js";
import { createExportLoader } from "../modules/create-export-loader.js";
import { implement } from "../modules/module-action.js";
import type { FromWorker, ToWorker, WorkerStart } from "../modules/module-message.js";
import { createPulseBoard } from "../modules/pulse-board.js";
import { portableCause, serveModules } from "../modules/serve-modules.js";
import { trackOwner } from "../modules/track-owner.js";
import { describePluginAction, hookAction, setUpPluginAction } from "../plugins/plugin-actions.js";
import { createPluginKeeper } from "../plugins/run-plugin.js";
import { renderAction } from "../reporters/reporter-action.js";
import { runReporter } from "../reporters/run-reporter.js";
import { agentAction, forgetAgentAction } from "../targets/module/agent-action.js";
import { createAgentKeeper } from "../targets/module/run-agent.js";
import { listToolsAction, runToolAction } from "../tools/module/module-tool-actions.js";
import { listModuleTools, runModuleTool } from "../tools/module/run-module-tool.js";

// The program of the worker that holds the user's modules: whatever these do to their process they do to this worker.

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- open-worker.ts starts it
const start = workerData as WorkerStart;
const { port, console: printing } = start;
const board = createPulseBoard(start.board);
// A module finds nothing here by which it could speak in the name of the worker.
for (const key of ["port", "board", "console"]) Reflect.deleteProperty(start, key);
if (printing === "stderr") globalThis.console = new Console(process.stderr, process.stderr);

const tracker = trackOwner(board);
const plugins = createPluginKeeper();
const agents = createAgentKeeper();
const post = (message: FromWorker): void => port.postMessage(message);
const serve = serveModules({
  actions: [
    implement(checkAction, runCheck),
    implement(readConfigAction, (context, scope) => evaluateConfig(context, scope, process.env)),
    implement(listExtensionsAction, listExtensions),
    implement(completeAction, runProvider),
    implement(renderAction, runReporter),
    implement(listToolsAction, listModuleTools),
    implement(runToolAction, runModuleTool),
    implement(agentAction, agents.run),
    implement(forgetAgentAction, agents.forget),
    implement(describePluginAction, plugins.describe),
    implement(setUpPluginAction, plugins.setUp),
    implement(hookAction, plugins.callHook),
  ],
  loadExport: createExportLoader(),
  board,
  tracker,
  post,
  end: () => process.exit(0),
});

const tellStray = (cause: unknown): void => {
  const { site } = tracker.current();
  const told = attemptSync(
    () => post({ type: "stray", site, cause }),
    () => null,
  );
  if (!told.success) post({ type: "stray", site, cause: portableCause(cause) });
};
process.on("uncaughtException", tellStray);
process.on("unhandledRejection", tellStray);
port.on("message", (message: ToWorker) => serve(message));
