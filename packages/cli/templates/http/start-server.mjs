// A plugin that starts the server before the run, and stops it at the end.
import { startServer } from "./server.mjs";

export default {
  name: "start-server",
  setup: () => startServer(43117),
  runEnded: ({ state: server }) => {
    server.closeAllConnections();
    server.close();
  },
};
