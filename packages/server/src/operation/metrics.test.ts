import { expect, it } from "vitest";
import { sampleUpload } from "../__fixtures__/sample-upload.js";
import { startTestServer } from "../__fixtures__/test-server.js";
import { Metrics } from "./metrics.js";

it("counts requests, refusals and latencies by route, never by value, and what is in the database", async () => {
  const server = await startTestServer();
  const metrics = new Metrics(server.opened);
  server.onAnswer = (answered) => metrics.count(answered);
  const put = (run: string) =>
    server.send(`/projects/shop/runs/${run}`, { method: "PUT", body: sampleUpload({ run: "canary-1" }) });
  const [created, refused] = [await put("canary-1"), await put("canary-2")];
  expect([created.status, refused.status]).toEqual([201, 422]);
  await server.send("/nowhere/canary-3", { token: null });
  const text = await metrics.render();
  const route = 'method="PUT",route="/api/v1/projects/:project/runs/:run"';
  expect(text).toContain(`kindlm_requests_total{${route},status="201"} 1\n`);
  expect(text).toContain('kindlm_refusals_total{error="validation_error"} 1\n');
  expect(text).toContain('kindlm_refusals_total{error="not_found"} 1\n');
  expect(text).toContain(`kindlm_request_duration_seconds_bucket{${route},le="+Inf"} 2\n`);
  expect(text).toMatch(/kindlm_database_bytes [1-9]\d+\n/);
  expect(text).toMatch(/kindlm_rows\{table="case_results"\} \d+\n/);
  expect(text).not.toContain("canary");
  // Each line is a comment, or a name with labels and a number.
  for (const line of text.trimEnd().split("\n")) expect(line).toMatch(/^(# TYPE \w+ \w+|\w+(\{[^{}]*\})? [\d.e+-]+)$/);
  expect(refused.headers.get("x-kindlm-error")).toBeNull();
});
