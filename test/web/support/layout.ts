import type { Page } from 'playwright-core'

/** Two lines of a name with its picture. */
const MAX_ROW_PX = 60
/** Least width of a column of names. */
const MIN_NAME_PX = 80

/**
 * What does not fit on the page: a page or a table that scrolls sideways, rows higher than two lines, figures that break or are
 * cut off, and cells whose content leaves their box.
 */
export function findLayoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const faults = []
    const isShown = (element) => element.getClientRects().length > 0
    // At any width, or at this one: @max-sm:sr-only.
    const isForReaders = (element) => element.closest('.sr-only') || (getComputedStyle(element).position === 'absolute' && element.offsetWidth <= 1)
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth) {
      const widest = [...document.querySelectorAll('main *, header *, footer *')]
        .filter((one) => isShown(one) && one.getBoundingClientRect().right > clientWidth + 1 && !one.closest('section[tabindex], [role=tablist], fieldset'))
        .slice(0, 3)
        .map((one) => one.outerHTML.slice(0, 120))
      faults.push('the page is ' + (scrollWidth - clientWidth) + ' px too wide: ' + widest.join(' | '))
    }
    // Long symbols may be.
    for (const one of document.querySelectorAll('main dl dt, main dl dd'))
      if (isShown(one) && one.scrollWidth > one.clientWidth && !/W{9}/.test(one.innerText)) faults.push('cut off: ' + one.innerText)
    // A figure or a unit that is cut says something else, or nothing. Texts of strangers may be cut.
    for (const one of document.querySelectorAll('main .truncate'))
      if (isShown(one) && one.scrollWidth > one.clientWidth + 1 && !isForReaders(one) && !one.closest('th, td') && !/W{9}|0x/.test(one.innerText) && /\\d|^in /.test(one.innerText))
        faults.push('cut off: ' + one.innerText)
    // The price chart is made of a table, too.
    for (const table of document.querySelectorAll('table:has(caption)')) {
      if (!isShown(table)) continue
      const name = table.caption.textContent
      const region = table.parentElement
      if (region.scrollWidth > region.clientWidth) faults.push(name + ': scrolls sideways by ' + (region.scrollWidth - region.clientWidth) + ' px')
      const columns = [...table.tHead.rows[0].cells]
      for (const row of table.tBodies[0].rows) {
        const { height } = row.getBoundingClientRect()
        if (height > ${MAX_ROW_PX}) faults.push(name + ': a row of ' + height + ' px: ' + row.innerText.slice(0, 80))
        for (const [index, cell] of [...row.cells].entries()) {
          if (!isShown(cell)) continue
          const place = name + ', ' + columns[index].textContent + ': '
          const { left, right, width } = cell.getBoundingClientRect()
          if (getComputedStyle(cell).textOverflow === 'ellipsis') {
            if (width < ${MIN_NAME_PX}) faults.push(place + 'names have ' + width + ' px')
            continue
          }
          if (cell.scrollWidth > cell.clientWidth + 1) faults.push(place + 'overflows: ' + cell.innerText)
          const boxes = []
          const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT, (text) =>
            isForReaders(text.parentElement) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT)
          while (texts.nextNode()) {
            const range = document.createRange()
            range.selectNodeContents(texts.currentNode)
            boxes.push(...range.getClientRects())
          }
          if (boxes.some((box) => box.left < left - 1 || box.right > right + 1)) faults.push(place + 'leaves its box: ' + cell.innerText)
          const lines = boxes.filter((box) => box.top > boxes[0].bottom - 2)
          if (lines.length > 0) faults.push(place + 'breaks: ' + cell.innerText)
        }
      }
    }
    return [...new Set(faults)]
  })()`)
}
