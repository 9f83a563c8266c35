import { cli, figure, ms, wallMs, withServer } from "../support.js";
import { writeThroughputConfig } from "../write-configs.js";

const perSecond = 20;

function rateLimits(cases, counting) {
  const idealMs = (cases / perSecond) * 1_000;
  return {
    name: `rate-limit-${counting}-${cases}`,
    what: `${cases} cases at concurrency 50 on a server that lets ${perSecond} requests per second through (${ways[counting]}) and says beyond that how long to wait; all pass. Refused ÷ all requests; wall time ÷ ${idealMs / 1_000} s`,
    targets: { wasted: 0.1, "÷ ideal": 1.15 },
    long: true,
    measure: () =>
      withServer(
        [counting],
        async (url, folder) => {
          const wall = wallMs([
            cli,
            "test",
            "-c",
            writeThroughputConfig(folder, { url, cases, concurrency: 50, name: counting }),
          ]);
          const { answered, refused } = await (await fetch(new URL("/counts", url))).json();
          if (answered !== cases) throw new Error(`${answered} requests were answered, not ${cases}`);
          const sent = answered + refused;
          return {
            wasted: figure(refused / sent, `${refused} of ${sent}`),
            "÷ ideal": figure(wall / idealMs, `${ms(wall)} ÷ ${ms(idealMs)}`),
          };
        },
        "rate-limited-server.js",
      ),
  };
}

const ways = { fixed: "fixed window", sliding: "sliding window", bucket: "token bucket" };

export const rateLimitFigures = [200, 400].flatMap((cases) =>
  Object.keys(ways).map((counting) => rateLimits(cases, counting)),
);
