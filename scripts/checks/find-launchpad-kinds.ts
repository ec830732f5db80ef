import ts from 'typescript'
import { launchpadKinds } from '../../launchpads/kinds.ts'

/** Schemas show kinds in their examples. */
const EXAMPLES = /^examples?$/

/**
 * Lines that name a kind of launchpad: as a text, in SQL, or as a key. What differs between launchpads is in their adapters
 * or their traits, so that another one changes no other file.
 */
export function findLaunchpadKinds(source: string, kinds: readonly string[] = Object.keys(launchpadKinds)): number[] {
  if (!kinds.some((kind) => source.includes(kind))) return []
  const file = ts.createSourceFile('source.tsx', source, ts.ScriptTarget.Latest)
  const lines = new Set<number>()
  const visit = (node: ts.Node) => {
    if (ts.isPropertyAssignment(node) && EXAMPLES.test(node.name.getText(file))) return
    const text = readText(node)
    if (text !== null && kinds.some((kind) => text === kind || text.includes(`'${kind}'`)))
      lines.add(file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return [...lines]
}

const readText = (node: ts.Node): string | null =>
  ts.isIdentifier(node) ||
  ts.isStringLiteralLike(node) ||
  ts.isTemplateHead(node) ||
  ts.isTemplateMiddleOrTemplateTail(node)
    ? node.text
    : null
