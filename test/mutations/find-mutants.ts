import ts from 'typescript'
import { findSqlSlips } from './find-sql-slips.ts'

/** One small change of a source file. */
export interface Mutant {
  path: string
  /** From 1. */
  line: number
  /** Offsets of what is replaced. */
  start: number
  end: number
  original: string
  replacement: string
}

/** What replaces an operator. Edges of comparisons move by one; the rest is turned around. */
const OPERATORS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [ts.SyntaxKind.LessThanToken, '<='],
  [ts.SyntaxKind.LessThanEqualsToken, '<'],
  [ts.SyntaxKind.GreaterThanToken, '>='],
  [ts.SyntaxKind.GreaterThanEqualsToken, '>'],
  [ts.SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [ts.SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [ts.SyntaxKind.AmpersandAmpersandToken, '||'],
  [ts.SyntaxKind.BarBarToken, '&&'],
  [ts.SyntaxKind.BarBarEqualsToken, '='],
  [ts.SyntaxKind.QuestionQuestionEqualsToken, '='],
  [ts.SyntaxKind.PlusToken, '-'],
  [ts.SyntaxKind.MinusToken, '+'],
  [ts.SyntaxKind.AsteriskToken, '/'],
  [ts.SyntaxKind.SlashToken, '*'],
  [ts.SyntaxKind.PlusEqualsToken, '-='],
  [ts.SyntaxKind.MinusEqualsToken, '+='],
])
const SUMS: ReadonlySet<ts.SyntaxKind> = new Set([ts.SyntaxKind.PlusToken, ts.SyntaxKind.PlusEqualsToken])
/** Operators and directions of Kysely's query builder. */
const BUILDER: ReadonlyMap<string, string> = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['=', '!='],
  ['!=', '='],
  ['desc', 'asc'],
  ['asc', 'desc'],
])
const LOG = /(^|\.)(log|console)\??\.\w+$/
const METHODS: ReadonlyMap<string, string> = new Map([
  ['min', 'max'],
  ['max', 'min'],
  ['some', 'every'],
  ['every', 'some'],
])

/** Every mutant of a TypeScript source, in the order of the text. */
export function findMutants(path: string, source: string): Mutant[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const found: Mutant[] = []
  const add = (start: number, end: number, replacement: string) => {
    const line = file.getLineAndCharacterOfPosition(start).line + 1
    found.push({ path, line, start, end, original: source.slice(start, end), replacement })
  }
  const replace = (node: ts.Node, replacement: string) => add(node.getStart(file), node.end, replacement)
  const visit = (node: ts.Node): void => {
    // Types and declarations without code cannot be wrong at run time.
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) return
    if (ts.isTypeAliasDeclaration(node)) return
    if (ts.isBinaryExpression(node)) mutateOperator(node, replace)
    else if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
      replace(node, node.operand.getText(file))
    else if (ts.isIfStatement(node) || ts.isConditionalExpression(node)) mutateCondition(node, replace)
    else if (ts.isTaggedTemplateExpression(node) && node.tag.getText(file) === 'sql') mutateSql(node, source, add)
    else if (ts.isCallExpression(node)) mutateCall(node, replace)
    else if (ts.isStringLiteral(node) && ts.isCallExpression(node.parent)) mutateArgument(node, replace)
    else if (node.kind === ts.SyntaxKind.TrueKeyword) replace(node, 'false')
    else if (node.kind === ts.SyntaxKind.FalseKeyword) replace(node, 'true')
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found.sort((a, b) => a.start - b.start || a.end - b.end)
}

type Replace = (node: ts.Node, replacement: string) => void

function mutateOperator({ left, operatorToken, right }: ts.BinaryExpression, replace: Replace): void {
  const replacement = OPERATORS.get(operatorToken.kind)
  const isText = SUMS.has(operatorToken.kind) && [left, right].some(endsInText)
  if (replacement !== undefined && !isText) replace(operatorToken, replacement)
}

/** Whether a part of a sum is a literal text: such a sum joins texts. */
const endsInText = (node: ts.Expression): boolean =>
  ts.isStringLiteralLike(node) ||
  ts.isTemplateExpression(node) ||
  (ts.isBinaryExpression(node) && (endsInText(node.left) || endsInText(node.right)))

/** Conditions that are an operator have a mutant already; any may also hold always, or never. */
function mutateCondition(node: ts.IfStatement | ts.ConditionalExpression, replace: Replace): void {
  const condition = ts.isIfStatement(node) ? node.expression : node.condition
  if (condition.kind === ts.SyntaxKind.TrueKeyword || condition.kind === ts.SyntaxKind.FalseKeyword) return
  replace(condition, 'true')
  replace(condition, 'false')
}

function mutateCall(node: ts.CallExpression, replace: Replace): void {
  if (ts.isPropertyAccessExpression(node.expression)) {
    const replacement = METHODS.get(node.expression.name.text)
    if (replacement !== undefined) replace(node.expression.name, replacement)
  }
  // A call whose result nobody uses is there for its effect. No test demands each line of the log.
  const statement = ts.isAwaitExpression(node.parent) ? node.parent.parent : node.parent
  if (ts.isExpressionStatement(statement) && !LOG.test(node.expression.getText())) replace(statement, '{}')
}

function mutateArgument(node: ts.StringLiteral, replace: Replace): void {
  const replacement = BUILDER.get(node.text)
  if (replacement !== undefined) replace(node, `'${replacement}'`)
}

type Add = (start: number, end: number, replacement: string) => void

function mutateSql({ template }: ts.TaggedTemplateExpression, source: string, add: Add): void {
  const parts = ts.isNoSubstitutionTemplateLiteral(template)
    ? [template]
    : [template.head, ...template.templateSpans.map(({ literal }) => literal)]
  for (const part of parts) {
    const start = part.getStart()
    for (const slip of findSqlSlips(source.slice(start, part.end)))
      add(start + slip.start, start + slip.end, slip.replacement)
  }
}
