# Completion of kindlm for PowerShell. Put this into $PROFILE: kindlm completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName 'kindlm', 'npx', 'bunx' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition } | ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text }
        })
    $words += $wordToComplete.Trim("'", '"')
    # The program that the typed command would run.
    $program = $words[0]
    if ($program -in 'npx', 'bunx') {
        $folder = $PWD.ProviderPath
        $program = $null
        while ($folder -and -not $program) {
            $found = Get-Command (Join-Path $folder 'node_modules/.bin/kindlm') -ErrorAction Ignore | Select-Object -First 1
            if ($found) { $program = $found.Source }
            $folder = Split-Path $folder
        }
    }
    if (-not $program) { return }
    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
        # Windows PowerShell drops arguments that are empty, and changes quotes.
        $env:KINDLM_COMPLETE = $words -join [char]0x1f
        $lines = @(& $program __complete powershell 2>$null)
    } finally {
        $env:KINDLM_COMPLETE = $null
        [Console]::OutputEncoding = $encoding
    }
    # Each line after the first is a candidate, a tab, and what it is. Without any, PowerShell completes files.
    $lines | Select-Object -Skip 1 | ForEach-Object {
        $text, $about = $_ -split "`t", 2
        $typed = if ($text -match '^[\w./:=+-]+$') { $text } else { "'" + $text.Replace("'", "''") + "'" }
        [System.Management.Automation.CompletionResult]::new($typed, $text, 'ParameterValue', $(if ($about) { $about } else { $text }))
    }
}
