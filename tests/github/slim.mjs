// Makes `target/github/contract.json`: GitHub's OpenAPI description of the operations in `operations.txt`, repaired where
// validators stumble over it. Examples are left out: some are broken, and nothing reads them.
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(here, '..', '..', 'target', 'github');
const published = join(dirname(createRequire(import.meta.url).resolve('@octokit/openapi/package.json')), 'generated');
const full = JSON.parse(readFileSync(join(published, 'api.github.com.json'), 'utf8'));
const operations = readFileSync(join(here, 'operations.txt'), 'utf8').trim().split('\n').map((line) => line.split(' '));

// A validator's path parameter is one segment; these hold names with slashes.
const SPANNING = ['ref', 'branch'];
const MOST_SEGMENTS = 5;

const paths = {};
for (const [method, path] of operations) {
  const whole = full.paths[path];
  const operation = whole?.[method.toLowerCase()];
  if (!operation) throw new Error(`GitHub does not describe ${method} ${path}`);
  const given = { ...operation, parameters: [...(whole.parameters ?? []), ...(operation.parameters ?? [])] };
  for (const [spread, extra] of spreads(path)) {
    const id = `${operation.operationId}${extra.length ? `/${extra.length + 1}` : ''}`;
    (paths[spread] ??= {})[method.toLowerCase()] = {
      ...given,
      operationId: id,
      parameters: [...given.parameters, ...extra.map(segment)],
    };
  }
}

function* spreads(path) {
  yield [path, []];
  const name = SPANNING.find((name) => path.includes(`{${name}}`));
  const extra = [];
  while (name && extra.length + 1 < MOST_SEGMENTS) {
    extra.push(`${name}_${extra.length + 2}`);
    yield [path.replace(`{${name}}`, [name, ...extra].map((one) => `{${one}}`).join('/')), [...extra]];
  }
}

function segment(name) {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}

// Repairs a node and everything below it; returns the node. `named` is true where the keys are names and not keywords.
function repair(node, named = false) {
  if (Array.isArray(node)) return node.map((item) => repair(item));
  if (node === null || typeof node !== 'object') return node;
  const repaired = {};
  for (const [key, value] of Object.entries(node)) {
    if (!named && ['example', 'examples'].includes(key)) continue;
    repaired[key] = repair(value, !named && key === 'properties');
  }
  return named ? repaired : typed(repaired);
}

// `nullable` without `type` makes Prism's validator give up on the whole schema, in silence; and so does `null` in an `enum`,
// which is added where `nullable` stands. So the one text that is allowed beside it is one that nobody sends.
function typed(node) {
  if (node.nullable !== true || node.type !== undefined) return node;
  const { nullable, ...rest } = node;
  const nothing = { type: 'string', nullable: true, enum: ['no text, but null'] };
  return { anyOf: [rest, nothing] };
}

const components = {};
const slim = {
  openapi: full.openapi,
  info: { title: full.info.title, version: full.info.version },
  servers: full.servers,
  paths: repair(paths, true),
  components,
};
for (let wanted = references(slim.paths); wanted.length > 0; ) {
  const next = [];
  for (const reference of new Set(wanted)) {
    const [, , kind, name] = reference.split('/');
    if (components[kind]?.[name]) continue;
    const found = repair(full.components[kind]?.[name]);
    if (!found) throw new Error(`${reference} leads nowhere`);
    (components[kind] ??= {})[name] = found;
    next.push(...references(found));
  }
  wanted = next;
}

function references(node, found = []) {
  if (node && typeof node === 'object') {
    if (typeof node.$ref === 'string') found.push(node.$ref);
    for (const value of Object.values(node)) references(value, found);
  }
  return found;
}

mkdirSync(folder, { recursive: true });
const file = join(folder, 'contract.json');
writeFileSync(`${file}.part`, JSON.stringify(slim));
renameSync(`${file}.part`, file);
console.log(`${operations.length} operations, ${Object.keys(components.schemas).length} schemas: ${file}`);
