/** Errors and constructors of a Solidity source without a `@notice`, or whose `@param` tags are not their parameters. */
export function findUndocumentedErrors(source: string): string[] {
  const declarations = [...source.matchAll(/^ *(error \w+|constructor)\s*\(([^)]*)\)/gm)]
  return declarations
    .filter(({ index, 2: parameters }) => {
      const comment = readCommentAbove(source.slice(0, index).trimEnd())
      const documented = [...comment.matchAll(/@param (\w+)/g)].map(([, name]) => name)
      return !comment.includes('@notice') || documented.join() !== listNames(String(parameters)).join()
    })
    .map(([, declaration]) => String(declaration))
}

const listNames = (parameters: string): string[] =>
  parameters
    .split(',')
    .map((parameter) => parameter.trim().split(/\s+/).at(-1)!)
    .filter(Boolean)

function readCommentAbove(text: string): string {
  if (text.endsWith('*/')) return text.slice(text.lastIndexOf('/**'))
  return /(?:\n *\/\/\/[^\n]*)*$/.exec(text)![0]
}
