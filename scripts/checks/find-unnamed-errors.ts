import ts from 'typescript'

/** Lines whose t.rejects or t.throws accepts any error: it passes for a typing error, too. */
export function findUnnamedErrors(source: string): number[] {
  const file = ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest)
  const lines: number[] = []
  const visit = (node: ts.Node) => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [, expected] = node.arguments
      const isText = expected === undefined || ts.isStringLiteralLike(expected) || ts.isTemplateExpression(expected)
      if (isText && /^(rejects|throws)$/.test(node.expression.name.text))
        lines.push(file.getLineAndCharacterOfPosition(node.expression.name.getStart(file)).line + 1)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return lines
}
