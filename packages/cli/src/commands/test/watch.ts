import { openWatch } from "@kindlm/core/commands/watch-tests";
import { runAndReport, type ReportedRun } from "./run-and-report.js";
import { Screen } from "./screen.js";
import { toRunOptions, type TestInvocation } from "./to-run-options.js";
import { WatchSession } from "./watch-session.js";

const usualLimitUsd = 1;

/** Watches the files of the tests, until somebody quits. */
export async function watchTests(
  invocation: TestInvocation,
  reported: Omit<ReportedRun, "invocation" | "run">,
): Promise<number> {
  const { flags, global, environment } = invocation;
  const { paths, messages } = reported;
  const { maxCostUsd = usualLimitUsd, ...options } = toRunOptions(invocation, paths);
  const { stderr, env } = environment;
  const screen = new Screen(stderr, {
    isClearing: flags.clear,
    canErase: stderr.isTerminal && env["TERM"] !== "dumb",
  });
  const place = [
    ...paths.flatMap((path) => ["-c", path]),
    ...(flags.root === undefined ? [] : ["--root", flags.root]),
    ...(global.color ? [] : ["--no-color"]),
  ];
  const session = new WatchSession({
    watch: openWatch(options),
    environment,
    messages,
    screen,
    limitUsd: maxCostUsd,
    spend: flags.spend ?? "ask",
    report: (run) => runAndReport({ ...reported, invocation, run }),
    call: (words) => invocation.call([...words, ...place]),
  });
  return session.run();
}
