#!/usr/bin/env node
import process from "node:process";
import { runServer } from "./operation/run-server.js";

process.exitCode = await runServer(process.argv.slice(2), process);
