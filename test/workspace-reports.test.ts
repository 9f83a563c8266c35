import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, it } from "vitest";
import { makeProject } from "../packages/core/src/__fixtures__/make-project.js";
import { textWidth } from "../packages/cli/src/terminal/text-width.js";
import { readHtmlReport } from "./support/read-html-report.js";
import { runCli, type CliOutcome } from "./support/run-cli.js";
import { workspaceConfig } from "./support/workspace-run.js";

const env = { TEST_API_KEY: "hunter2hunter2" };
const numbers = Array.from({ length: 300 }, (_, at) => `${at}\n`).join("");
const write = (place: string, content: string) => ({ tool: "fs_write", args: { path: place, content } });
const config = workspaceConfig({
  workspace: { files: { "src/sum.js": "a - b;\n", "old.txt": "old\n", "logo.png": "x" } },
  calls: [
    ["src/sum.js", "logo.png"].map((place) => ({ tool: "fs_read", args: { path: place } })),
    [
      write("src/sum.js", "a + b; // \u001b[31m</script> ${KEY}\n".replace("${KEY}", env.TEST_API_KEY)),
      write("new/many.txt", numbers),
      write("logo.png", "\0"),
      write("/etc/kindlm-escape", "x"),
    ],
  ],
  assert: [{ type: "files_changed", none: true }],
});

let cwd = "";
const run = (...args: readonly string[]): Promise<CliOutcome> =>
  runCli(args, { cwd, env: { ...env, CI: "1", COLUMNS: "100" } });
const read = (file: string): string => readFileSync(path.join(cwd, file), "utf8");
let printed = "";

beforeAll(async () => {
  cwd = makeProject({ "kindlm.yaml": config.replaceAll(env.TEST_API_KEY, "hunter2\\u0068unter2") });
  const reporters = ["html=r.html", "markdown=r.md", "pr-comment=c.md", "pretty"];
  const ran = await run("test", ...reporters.flatMap((one) => ["--reporter", one]));
  printed = ran.stdout;
});

const changed = [
  "changed  src/sum.js  +1 −1",
  "  @@ -1,1 +1,1 @@",
  "  -a - b;",
  "  +a + b; // ␛[31m</script> [redacted]",
  "write of /etc/kindlm-escape, outside of the workspace, refused",
];
const linesOf = (text: string): readonly string[] => text.split("\n").map((line) => line.slice(13).trimEnd());

it("are shown below a failed case: files with their lines, the beginning of each diff, and what was refused", () => {
  const lines = linesOf(printed);
  expect(lines).toEqual(expect.arrayContaining(changed));
  const at = lines.indexOf("added    new/many.txt  +300");
  expect(lines.slice(at + 1, at + 15)).toEqual([
    "  @@ -0,0 +1,300 @@",
    ...Array.from({ length: 11 }, (_, number) => `  +${number}`),
    "  … 189 more lines: kindlm show 1",
    "changed  src/sum.js  +1 −1",
  ]);
  expect(printed).toContain("     files   changed  logo.png  binary\n");
});

it("are shown whole by show and with --verbose, as wide as the terminal, in ASCII if it can show no more", async () => {
  const { stdout } = await run("show", "1");
  expect(linesOf(stdout)).toEqual(expect.arrayContaining([...changed, "  +198", "  … 101 more lines"]));
  expect(Math.max(...stdout.split("\n").map((line) => textWidth(line)))).toBeLessThan(100);
  expect(stdout).not.toContain(env.TEST_API_KEY);
  const verbose = await run("report", "--reporter", "pretty", "--verbose");
  expect(linesOf(verbose.stdout)).toEqual(expect.arrayContaining([...changed, "  +198"]));
  const plain = await runCli(["show", "1"], { cwd, env: { ...env, LC_ALL: "C", COLUMNS: "100" } });
  expect(linesOf(plain.stdout)).toContain("  +a + b; // \\u001b[31m</script> [redacted]");
});

it("are a list in Markdown", () => {
  const list =
    "Files: <code>logo&#46;png</code> binary, <code>new&#47;many&#46;txt</code> added +300, <code>src&#47;sum&#46;js</code> +1 −1, " +
    "<code>write of &#47;etc&#47;kindlm-escape&#44; outside of the workspace&#44; refused</code>\n";
  expect(read("r.md")).toContain(list);
  expect(read("c.md")).toContain(list);
});

it("have a part in the HTML report, masked", () => {
  const [trial] = readHtmlReport(read("r.html")).find("test").detail.trials;
  expect(trial?.files).toMatchObject({
    changes: [
      { path: "logo.png", change: "changed", size: "binary" },
      { path: "new/many.txt", change: "added", size: "+300" },
      {
        path: "src/sum.js",
        change: "changed",
        size: "+1 −1",
        diff: "@@ -1,1 +1,1 @@\n-a - b;\n+a + b; // ␛[31m</script> [redacted]\n",
      },
    ],
    remarks: ["write of /etc/kindlm-escape, outside of the workspace, refused"],
  });
});
