// Shared by the test scripts: packages from MSGCHAIN_NODE_MODULES, and one named check a line.
const path = require("path");
const { createRequire } = require("module");
const folder = process.env.MSGCHAIN_NODE_MODULES || path.join(__dirname, "node_modules");
exports.packages = createRequire(path.join(folder, "any.js"));
exports.assert = require("assert").strict;

exports.WORDS = "test test test test test test test test test test test junk";

// Runs named steps in order; the first that fails ends the script with its name.
exports.steps = async function steps(list) {
  for (const [name, step] of list) {
    try {
      await step();
      console.log(`ok ${name}`);
    } catch (error) {
      console.log(`not ok ${name}: ${error && error.stack ? error.stack : error}`);
      process.exit(1);
    }
  }
  process.exit(0);
};

exports.rejects = async function rejects(promise, pattern) {
  try {
    await promise;
  } catch (error) {
    if (!pattern.test(String(error.message || error))) {
      throw new Error(`other error than ${pattern}: ${error.message || error}`);
    }
    return error;
  }
  throw new Error(`went through, expected ${pattern}`);
};

// Waits until something holds.
exports.until = async function until(look, what, seconds = 120) {
  for (let turn = 0; turn < seconds * 20; turn++) {
    const found = await look();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(`${what} did not come`);
};

exports.utf8 = (text) => new TextEncoder().encode(text);
