import { expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { startTestServer, type TestServer } from "../__fixtures__/test-server.js";
import { setPlan } from "../management/set-plan.js";

/** The texts of a PDF, in their order. Fails if its table does not lead to its objects. */
function textsOf(file: string): readonly string[] {
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(file)?.[1]);
  const [, count, ...entries] = file.slice(start).split("trailer")[0]?.split("\n").slice(0, -1) ?? [];
  expect(count).toBe(`0 ${entries.length}`);
  for (const [number, entry] of entries.entries()) {
    expect(entry).toHaveLength(19);
    if (number > 0) expect(file.slice(Number(entry.slice(0, 10)))).toMatch(new RegExp(`^${number} 0 obj\n`));
  }
  for (const [, length, content] of file.matchAll(/\/Length (\d+) >>\nstream\n([^]*?)\nendstream/g)) {
    expect(content).toHaveLength(Number(length));
  }
  return [...file.matchAll(/\((.*)\) Tj/g)].map(([, text = ""]) =>
    text.replaceAll(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
  );
}

const getPdf = ({ app, token }: TestServer) =>
  app.request("http://127.0.0.1:4310/api/v1/projects/shop/runs/r1/pdf", {
    headers: { authorization: `Bearer ${token}` },
  });

it("a run becomes a PDF of its measurements, with whatever names it has", async () => {
  const server = await startTestServer({ accepts: "messages" });
  const hostile = ") Tj ET (\\ \u202E 😀 € Überprüfung 漢字 \u0007";
  const cases = [
    { name: hostile, status: "failed" as const },
    { name: "0".repeat(500), status: "errored" as const },
  ];
  const many = Array.from({ length: 250 }, (_, index) => ({ name: `case-${index}`, status: "failed" as const }));
  const upload = sampleUpload({ run: "r1", branch: "fix/ü", cases: [{ name: "a" }, ...cases, ...many] });
  const secret = "canary of a message";
  const body = {
    run: { ...upload.run, include: ["messages"] },
    cases: upload.cases.map((one) => ({ ...one, messages: { error: secret, trials: [] } })),
  };
  expect(await server.send("/projects/shop/runs/r1", { method: "PUT", body })).toMatchObject({ status: 201 });
  const answer = await getPdf(server);
  expect({ status: answer.status, type: answer.headers.get("content-type") }).toEqual({
    status: 200,
    type: "application/pdf",
  });
  const file = Buffer.from(await answer.arrayBuffer()).toString("latin1");
  expect(file).toMatch(/^%PDF-1\.4\n/);
  expect(file).toContain("/Count 4 ");
  expect(file).not.toContain(secret);
  const texts = textsOf(file);
  expect(texts[0]).toBe("shop: run r1");
  expect(texts).toContain("Branch      fix/ü");
  expect(texts).toContain("Cases       1 passed, 251 failed, 1 errored, 0 skipped");
  expect(texts).toContain("Pass rate   0.4% (95%: 0.1% to 2.2%)");
  // 0x80 is the euro sign in the encoding of the fonts.
  expect(texts.find((text) => text.includes("Tj ET"))).toMatch(
    /^refunds\/\) Tj ET \(\\ \? \? \u0080 Überprüfung \?\?  ?@gpt +failed {2}0\/2$/,
  );
  expect(texts.find((text) => text.includes("0000"))).toMatch(/^refunds\/0+\u0085 {2}errored {2}0\/2$/);
  expect(texts.at(-1)).toBe("\u0085 and 52 more");
  expect(await server.send("/projects/shop/runs/unknown/pdf")).toMatchObject({ status: 404 });
});

it("needs a plan only if the operator has set the plan free", async () => {
  const server = await startTestServer();
  const { database } = server.opened;
  await server.send("/projects/shop/runs/r1", { method: "PUT", body: sampleUpload({ run: "r1" }) });
  const set = (plan: string) => setPlan(database, server.orgId, plan, server.clock.now);
  const status = async () => (await getPdf(server)).status;
  for (const plan of ["team", "enterprise", "none"]) {
    await set(plan);
    expect(await status()).toBe(200);
  }
  expect(await set("free")).toBe("Acme has the plan free");
  const refused = await server.send("/projects/shop/runs/r1/pdf");
  // Literally section 7 of the error-handling specification.
  expect(refused).toMatchObject({ status: 403 });
  expect(refused.json).toEqual({
    error: "plan_required",
    message: "This feature requires a Team or Enterprise plan. Current plan: free",
    details: {
      required_plan: "team",
      current_plan: "free",
      feature: "pdf_export",
      upgrade_url: "https://cloud.kindlm.com/settings/billing",
    },
  });
  await expect(set("gold")).rejects.toThrow('"gold" is not a plan: use free, team, enterprise or none');
  await expect(setPlan(database, "org_unknown", "free", 0)).rejects.toThrow('No organization is called "org_unknown"');
  const log = (await server.send("/audit")).json["items"];
  expect(log).toMatchObject([
    { actor: "operator", action: "plan.free", subject: server.orgId },
    { action: "plan.none" },
    { action: "plan.enterprise" },
    { action: "plan.team" },
  ]);
});
