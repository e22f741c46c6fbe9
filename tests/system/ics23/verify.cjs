// Checks proofs that it reads from standard input with @confio/ics23: one JSON array of cases
// {root, key, value|null, proof} in hex; answers a JSON array of [accepted, refused changes].
const { ics23, verifyMembership, verifyNonMembership } = require("@confio/ics23");
const { smtSpec } = require("@confio/ics23/build/proofs");

const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));

function holds(proof, root, key, value) {
  let decoded;
  try {
    decoded = ics23.CommitmentProof.decode(proof);
  } catch {
    return false;
  }
  try {
    return value === null
      ? verifyNonMembership(decoded, smtSpec, root, key)
      : verifyMembership(decoded, smtSpec, root, key, value);
  } catch {
    return false;
  }
}

function flipped(data, bit) {
  const copy = Uint8Array.from(data);
  copy[bit >> 3] ^= 1 << (bit & 7);
  return copy;
}

// What the package reads of a proof. Its protobuf reader ignores wire types and what follows the
// last field, and it never looks at the key inside a proof of absence: bytes can differ without a
// difference in what is checked.
function meaning(proof) {
  try {
    const decoded = ics23.CommitmentProof.decode(proof);
    const plain = ics23.CommitmentProof.toObject(decoded, { defaults: true, bytes: String });
    if (plain.nonexist) delete plain.nonexist.key;
    return JSON.stringify(plain);
  } catch {
    return null;
  }
}

const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
const answers = cases.map(({ root, key, value, proof, flips }) => {
  const parts = [bytes(proof), bytes(root), bytes(key), value === null ? null : bytes(value)];
  const accepted = holds(...parts);
  const wrong = flips.filter(([part, bit]) => {
    const changed = parts.slice();
    changed[part] = flipped(parts[part], bit);
    return holds(...changed) && (part !== 0 || meaning(changed[0]) !== meaning(parts[0]));
  });
  return [accepted, wrong];
});
process.stdout.write(JSON.stringify(answers));
