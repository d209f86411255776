/** The client in Node. Browsers load index.js. */

import "./src/node/platform.js";

export * from "./index.js";
export { findServers } from "./src/node/servers.js";
