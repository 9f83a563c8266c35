import { join } from "node:path";
import { expect, it } from "vitest";
import { makeProject } from "../../packages/core/src/__fixtures__/make-project.js";
import { findBarriersHere } from "../support/find-barriers.js";
import { openReport } from "../support/open-browser.js";
import { runCli } from "../support/run-cli.js";
import { workspaceConfig } from "../support/workspace-run.js";

const write = (path: string, content: string) => ({ tool: "fs_write", args: { path, content } });

it("shows changed files with diffs that fold, as text, readable by everybody", async () => {
  const calls = [
    { tool: "fs_read", args: { path: "a.txt" } },
    [
      write("a.txt", "new <img src=x onerror=alert(1)>\u001b[31m\n"),
      ...["b", "c", "d"].map((name) => write(`${name}.txt`, `text of ${name}\n`)),
      write("/etc/kindlm-escape", "x"),
    ],
  ];
  const workspace = { files: { "a.txt": "old\n" } };
  const cwd = makeProject({
    "kindlm.yaml": workspaceConfig({ workspace, calls, assert: [{ type: "files_changed", none: true }] }),
  });
  await runCli(["test", "--reporter", "html=report.html"], { cwd });
  const { page, requests, violations, errors } = await openReport(join(cwd, "report.html"), {
    fragment: "case=files%2Ftest%40agent",
  });
  const files = page.getByRole("region", { name: "Files" });
  await files.waitFor();
  expect(await files.locator("summary").allInnerTexts()).toEqual([
    "changed a.txt +1 −1",
    ...["b", "c", "d"].map((name) => `added ${name}.txt +1`),
  ]);
  expect(await files.getByRole("listitem").allTextContents()).toEqual(
    expect.arrayContaining(["−deleted: old", "+added: new <img src=x onerror=alert(1)>␛[31m"]),
  );
  expect(await files.innerText()).toContain("write of /etc/kindlm-escape, outside of the workspace, refused");
  const last = files.getByText("text of d");
  expect(await last.count()).toBe(0);
  await files.locator("summary").last().press("Enter");
  await last.waitFor();
  await files.locator("summary").first().click();
  await expect.poll(() => files.getByText("old").count()).toBe(0);
  expect(await findBarriersHere(page)).toEqual([]);
  expect({ requests, violations: await violations(), errors }).toEqual({ requests: [], violations: [], errors: [] });
  await page.close();
});
