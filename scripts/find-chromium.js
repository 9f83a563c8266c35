import { existsSync } from "node:fs";
import process from "node:process";

/** Where systems put it. Debian's shell is the same browser without windows, and opens a page in a third of the time. */
const places = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** It may ask nobody for anything, and it runs as root in containers. */
export const quietChromium = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
];

/** The browser in `CHROMIUM_PATH`, or the one that is installed. Throws if there is none. */
export function findChromium() {
  const given = process.env["CHROMIUM_PATH"];
  const found = given ?? places.find((place) => existsSync(place));
  if (found !== undefined && existsSync(found)) return found;
  throw new Error(
    `${given === undefined ? "Chromium was not found" : `CHROMIUM_PATH is ${given}, and there is no such file`}. ` +
      "Install it (apt-get install chromium), or set CHROMIUM_PATH to its program.",
  );
}
