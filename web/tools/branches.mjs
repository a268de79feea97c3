// Finds branches on boot data that the build would decide: in place of values it has slots, which are always truthy. Use When,
// Unless, Each, choose or oneOf (src/lib/template.tsx). Handlers and effects run in the browser alone and may branch.
//   node tools/branches.mjs
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vite';

const src = new URL('../src/', import.meta.url);

/** @typedef {{ type: string, start: number, [key: string]: any }} Node */

/** The names that stand for boot data in a file: parameters of its types, and what is taken out of them. @param {Node} program */
function bootNames(program) {
  const types = new Set();
  const names = new Set();
  walk(program, (node) => {
    if (node.type === 'ImportDeclaration' && node.source.value.endsWith('api/schema.gen'))
      for (const { local } of node.specifiers) types.add(local.name);
    if (node.type === 'TSPropertySignature' && types.has(nameOf(node.typeAnnotation)))
      names.add(node.key.name);
    if (node.type === 'Identifier' && types.has(nameOf(node.typeAnnotation))) names.add(node.name);
    if (node.type === 'ObjectPattern' && types.has(nameOf(node.typeAnnotation))) bind(node, names);
    if (node.type === 'VariableDeclarator' && node.init && pathOf(node.init, names)) bind(node.id, names);
  });
  return names;
}

/** The name of the type in an annotation. @param {Node | undefined} annotation */
const nameOf = (annotation) => annotation?.typeAnnotation?.typeName?.name;

/** Adds the names of a pattern. @param {Node} pattern @param {Set<string>} names */
function bind(pattern, names) {
  if (pattern.type === 'Identifier') names.add(pattern['name']);
  for (const { value } of pattern['properties'] ?? []) if (value) bind(value, names);
}

/** Whether an expression is a name or a path of boot data. @param {Node} node @param {Set<string>} names @returns {boolean} */
function pathOf(node, names) {
  if (node.type === 'Identifier') return names.has(node['name']);
  if (node.type !== 'MemberExpression') return false;
  return (
    pathOf(node['object'], names) || (node['object'].name === 'props' && names.has(node['property'].name))
  );
}

/** What a branch depends on. @param {Node} node @returns {Node[]} */
function conditionsOf(node) {
  if (node.type === 'ConditionalExpression' || node.type === 'IfStatement') return [node['test']];
  if (node.type === 'LogicalExpression') return [node['left']];
  return [];
}

/** Whether a condition is boot data, its comparison, or its negation. @param {Node} node @param {Set<string>} names @returns {boolean} */
function isBoot(node, names) {
  if (node.type === 'UnaryExpression') return isBoot(node['argument'], names);
  if (node.type === 'BinaryExpression' || node.type === 'LogicalExpression')
    return isBoot(node['left'], names) || isBoot(node['right'], names);
  return pathOf(node, names);
}

/**
 * Calls visit for each node, with the functions around it. A function that is the child of an element counts as a part of the
 * function around it, because it renders.
 * @param {any} node @param {(node: Node, around: Node[]) => void} visit @param {Node[]} around
 */
function walk(node, visit, around = [], child = false) {
  if (Array.isArray(node)) for (const each of node) walk(each, visit, around, child);
  if (typeof node?.type !== 'string') return;
  visit(node, around);
  const inside = /Function/.test(node.type) && !child ? [...around, node] : around;
  for (const key of Object.keys(node))
    if (typeof node[key] === 'object')
      walk(node[key], visit, inside, key === 'children' || (child && node.type === 'JSXExpressionContainer'));
}

/**
 * Whether a branch is taken when the page is rendered: it is in no handler and no effect, and it is in a component, or a
 * text in a function for a component.
 * @param {Node} node @param {Node[]} around
 */
function renders(node, around) {
  const [outer, inner] = around;
  const component = outer?.type === 'ArrowFunctionExpression' || /^[A-Z]/.test(outer?.['id']?.name ?? '');
  return outer && !inner && (component || node.type === 'ConditionalExpression');
}

/** The lines of a module with such a branch. @param {string} text */
export function branchesOf(text) {
  const program = /** @type {any} */ (parseAst(text, { lang: 'tsx' }));
  const names = bootNames(program);
  const lines = new Set();
  walk(program, (node, around) => {
    if (renders(node, around) && conditionsOf(node).some((condition) => isBoot(condition, names)))
      lines.add(text.slice(0, node.start).split('\n').length);
  });
  return [...lines];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /^(screens|ui)\/.*\.tsx$/.test(file) && !/\.test\./.test(file),
  );
  const faults = files.flatMap((file) =>
    branchesOf(readFileSync(new URL(file, src), 'utf8')).map((line) => `src/${file}:${line}`),
  );
  for (const at of faults)
    console.error(`${at} branches on boot data, which the build decides: use When or oneOf`);
  console.log(`branches: ${files.length} files, ${faults.length} faults`);
  process.exitCode = faults.length ? 1 : 0;
}
