// 400 cases on a server that lets 20 requests per second through, by each way of counting. All must pass.
import { cli, inTempFolder, row, startServer, wallMs } from "./support.js";
import { writeThroughputConfig } from "./write-configs.js";

const cases = 400;
const perSecond = 20;
const idealMs = (cases / perSecond) * 1_000;

/** The share of requests that were refused, and the wall time of the whole run ÷ the ideal. */
export async function rateLimitedRows() {
  const rows = [];
  for (const counting of ["fixed", "sliding", "bucket"]) rows.push(...(await measure(counting)));
  return rows;
}

async function measure(counting) {
  const server = await startServer(counting, "rate-limited-server.js");
  try {
    return await inTempFolder(async (folder) => {
      const config = writeThroughputConfig(folder, { url: server.url, cases, concurrency: 50, name: counting });
      const wall = wallMs([cli, "test", "-c", config]);
      const { answered, refused } = await (await fetch(new URL("/counts", server.url))).json();
      if (answered !== cases) throw new Error(`${answered} requests were answered, not ${cases}`);
      return [
        row(
          `rate limited, ${counting}: wasted`,
          refused / (answered + refused),
          0.1,
          `${refused} of ${answered + refused}`,
        ),
        row(`rate limited, ${counting}: wall`, wall / idealMs, 1.3, `${Math.round(wall)} ms ÷ ${idealMs} ms`),
      ];
    });
  } finally {
    server.stop();
  }
}
